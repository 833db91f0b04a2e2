// SPDX-License-Identifier: Apache-2.0
// This test checks the messages about wrong problems and layer tables, and reads valid tables.
#include <doctest/doctest.h>

#include <string>

#include "error_of.h"
#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/problem.h"

namespace tileplan {
namespace {

/// Returns the message about `text`, or "" when there is no error. If the message begins with the
/// unchanged text, this beginning is left out.
std::string complaint(const std::string& text) {
  try {
    parse_problem(text);
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string start = "problem \"" + text + "\": ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
  }
  return "";
}

/// Returns the message about a layer table with `content`, without the path, or "" for no error.
std::string table_complaint(const std::string& content) {
  const TemporaryFolder folder;
  const std::string path = folder.write("layers.csv", content);
  try {
    load_layers(path);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.starts_with(path) ? message.substr(path.size()) : message;
  }
  return "";
}

}  // namespace

TEST_CASE("transposed convolutions are refused by that name") {
  const std::string rule =
      " are not supported; must be a convolution, a matrix product or a relation";
  CHECK(complaint("--deconv mb1ic16ih7oc16oh14kh2sh2ph0") ==
        "transposed convolutions (--deconv)" + rule);
  CHECK(complaint("deconv mb1ic16ih7oc16oh14kh2sh2ph0") ==
        "transposed convolutions (deconv)" + rule);
  const std::string size =
      ", as of a transposed convolution, which is not supported; must be (ih - ((kh - 1) * (dh + "
      "1) + 1) + 2 * ph) / sh + 1 = 3";
  // Without padding, a transposed convolution has 6 * 2 + 2 rows of outputs.
  CHECK(complaint("mb1ic16ih7oc16oh14kh2sh2ph0") == "oh is 14" + size);
  // Without padding, a transposed convolution has 6 * 2 + 3 rows of outputs.
  CHECK(complaint("mb1ic16ih7oc16oh15kh3sh2ph0") == "oh is 15" + size);
  CHECK(complaint("mb1ic16ih7oc16oh16kh3sh2ph0") == "oh is 16; must be" +
                                                        size.substr(size.find(" (ih")) +
                                                        ", or have ah26 (padding after the input)");
}

TEST_CASE("a flat depth has neither stride nor dilation, which its text could not say") {
  ConvShape shape = parse_conv("mb1ic16ih7oc16oh7kh3ph1");
  shape.depth.stride = 2;
  CHECK(error_of([&] { validate(shape); }) ==
        "problem without a name: sd is 2 and the dilation of kd 1 for a depth of one input and one "
        "tap; both must be 1");
  shape.depth = {.dilation = 3};
  CHECK_FALSE(error_of([&] { validate(shape); }).empty());
  CHECK(parse_conv("mb1ic16id1ih7oc16oh7kd1kh3ph1sd2").depth == Axis{});
}

TEST_CASE("a relation that is not one line as parse_problem makes it is refused") {
  Relation relation =
      std::get<Relation>(parse_problem("{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 16 and 0 <= k < 3 } "
                                       "reads { S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k,j] } writes { "
                                       "S[i,j,k] -> C[i,j] }"));
  CHECK_NOTHROW(validate(relation));
  relation.writes = "{ S[i,j,k] ->\n  C[i,j] }";
  CHECK(error_of([&] { validate(relation); }) ==
        "problem without a name: the text of the writes is \"{ S[i,j,k] ->?  C[i,j] }\"; must be "
        "one line with "
        "single blanks, as parse_problem makes it: { S[i,j,k] -> C[i,j] }");
}

TEST_CASE("a message starts with the text that it is about and is one line") {
  CHECK_THROWS_WITH_AS(parse_problem("mb0ic3ih8oc4kh3"),
                       "problem \"mb0ic3ih8oc4kh3\": mb is 0; must be at least 1", Error);
  CHECK(complaint("mb1\nic0") == "problem \"mb1?ic0\": mb is \"1?\"; must be a whole number");
  CHECK(complaint(std::string(300, 'x')).find('\n') == std::string::npos);
  CHECK(complaint(std::string(300, 'x'))
            .starts_with("problem \"" + std::string(200, 'x') + "...\": not a layer"));
}

TEST_CASE("numbers must be whole, in range and at least what the key allows") {
  CHECK(complaint("mb1ic0ih8oc4kh3") == "ic is 0; must be at least 1");
  CHECK(complaint("mb1ic-3ih8oc4kh3") == "ic is -3; must be at least 1");
  CHECK(complaint("mb1ic3ih8oc4kh3ph-1") == "ph is -1; must be at least 0");
  CHECK(complaint("mb1ic3ih8oc4kh3dh-1") == "dh is -1; must be at least 0");
  CHECK(complaint("mb1ic3ih8oc4kh3sh0") == "sh is 0; must be at least 1");
  CHECK(complaint("mb1ic3.5ih8oc4kh3") == "ic is \"3.5\"; must be a whole number");
  CHECK(complaint("mb1ic3ih8oc4kh") == "kh is \"\"; must be a whole number");
  CHECK(complaint("mb1ic+3ih8") == "ic is \"+3\"; must be a whole number");
  CHECK(complaint("mb1 ic3ih8") == "mb is \"1 \"; must be a whole number");
  CHECK(complaint("mb1ic9223372036854775808ih8") ==
        "ic is \"9223372036854775808\"; must fit in 64 bits (at most 2^63 - 1)");
  CHECK(complaint("m128n0k4") == "n is 0; must be at least 1");
}

TEST_CASE("keys must be known and given once") {
  const std::string keys =
      "; the keys are g mb ic ih iw oc oh ow kh kw sh sw ph pw ah aw dh dw id od kd sd pd ad dd, "
      "and "
      "n\"NAME\" at the end";
  CHECK(complaint("mb1ic3ihX8oc4kh3") == "unknown key \"ihX\"" + keys);
  CHECK(complaint("mb1IC3") == "unknown key \"IC\"" + keys);
  CHECK(complaint("m1n2k3x4") ==
        "unknown key \"x\"; the keys are b m n k lda ldb ldc ta tb sa sb sc, and n\"NAME\" at the "
        "end");
  CHECK(complaint("mb1ic3ic3") == "key ic is given more than once");
  CHECK(complaint("m1n2m1") == "key m is given more than once");
  CHECK(complaint("mb1\"ic3") == "\"\"ic3\" stands where a key was expected");
  CHECK(complaint("mb1ic3ih8oc4kh3n\"a") == "the name \"\"a\" must end with its closing quote");
}

TEST_CASE("sizes that nothing implies must be given") {
  CHECK(complaint("mb1ih8oc4kh3") == "ic is missing; it must be given");
  CHECK(complaint("mb1ic3ih8kh3") == "oc is missing; it must be given");
  CHECK(complaint("mb1ic3oc4kh3") == "ih is missing; it must be given");
  CHECK(complaint("mb1ic3ih8oc4") == "kh is missing; it must be given");
  CHECK(complaint("m1n2") == "k is missing; it must be given");
  CHECK(complaint("mb1ic3ih56iw28oc8oh56kh3") ==
        "ow is missing; must be given, or pw, when height and width differ");
}

TEST_CASE("an output size that the padding does not give is refused with the right one") {
  const std::string rule = "(ih - ((kh - 1) * (dh + 1) + 1) + 2 * ph) / sh + 1";
  CHECK(complaint("mb1ic64ih56oc64oh57kh3ph1") ==
        "oh is 57; must be " + rule + " = 56, or have ah2 (padding after the input)");
  CHECK(complaint("mb1ic64ih56oc64oh55kh3ph1") ==
        "oh is 55; must be " + rule + " = 56, or have ah0 (padding after the input)");
  CHECK(complaint("mb1ic64ih56oc64oh27kh1sh2ph0") == "oh is 27; must be " + rule + " = 28");
  CHECK(complaint("mb1ic64ih56oc64oh27kh1sh2") == "oh is 27; must be " + rule + " = 28");
  CHECK(complaint("mb1ic64ih2oc64oh1kh3ph0") ==
        "oh is 1; must be " + rule +
            ", which is below 1 or beyond 2^63 - 1, or have ah1 (padding after the input)");
  CHECK(complaint("mb1ic64ih56oc64oh56ow56kh3ph1pw2") ==
        "ow is 56; must be (iw - ((kw - 1) * (dw + 1) + 1) + 2 * pw) / sw + 1 = 58, or have aw0 "
        "(padding after the input)");
  CHECK(complaint("mb1ic64ih56oc64oh57kh3ph1ah1") ==
        "oh is 57; must be (ih - ((kh - 1) * (dh + 1) + 1) + ph + ah) / sh + 1 = 56");
}

TEST_CASE("a filter that does not fit into the padded input is refused") {
  CHECK(complaint("mb1ic64ih2oc64kh3") ==
        "oh must be at least 1, but is (ih - ((kh - 1) * (dh + 1) + 1) + 2 * ph) / sh + 1, which "
        "is below 1 or beyond 2^63 - 1");
}

TEST_CASE("groups must divide the channels") {
  CHECK(complaint("g3mb1ic64ih8oc66kh3") == "g is 3; must divide ic (64) and oc (66)");
  CHECK(complaint("g3mb1ic66ih8oc64kh3") == "g is 3; must divide ic (66) and oc (64)");
}

TEST_CASE("depths need the depth of the input and of the filter") {
  CHECK(complaint("mb1ic3ih16oc4od2kh3") == "id is missing; it must be given");
  CHECK(complaint("mb1ic3ih16oc4kd3kh3") == "id is missing; it must be given");
  CHECK(complaint("mb1ic3id16ih16oc4kh3") == "kd is missing; it must be given");
  CHECK(complaint("mb1ic3id16ih16oc4od15kd3kh3pd1") ==
        "od is 15; must be (id - ((kd - 1) * (dd + 1) + 1) + 2 * pd) / sd + 1 = 16, or have ad0 "
        "(padding after the input)");
}

TEST_CASE("only forward and direct is taken") {
  const std::string rule =
      " is not supported; forward and direct is (--dt=TYPES, --cfg=f32, "
      "--dir=FWD_B|FWD_D|FWD_I, --alg=direct|auto)";
  const std::string conv = " mb1ic3ih8oc4kh3";
  for (const std::string option : {"--dir=BWD_D", "--cfg=u8s8s32", "--stag=axb", "--dt"}) {
    std::string text = option, expected = option;
    text += conv;
    expected += rule;
    CHECK(complaint(text) == expected);
  }
}

TEST_CASE("element types that no kernel combines are refused with the combinations") {
  const std::string rule =
      " (input:weights:output) have no kernel; must be f32, f64, s32, bf16:bf16:(bf16|f32), "
      "f16:f16:(f16|f32), (u8|s8):(u8|s8):(s32|u8|s8|f32|bf16) or s16:s16:(s32|s16)";
  for (const std::string types : {"f32:s8:f32", "u8:bf16:u8", "bf16:bf16:f16", "f64:f64:f32",
                                  "s16:s16:u8", "s32:s32:f32", "u8:s16:s32", "f32:f32:bf16"}) {
    std::string text = "--dt=", expected = "element types ";
    text.append(types).append(" m2n3k4");
    expected.append(types).append(rule);
    CHECK(complaint(text) == expected);
  }
  CHECK(complaint("--dt=fp16 m2n3k4") ==
        "element type: 'fp16'; must be f32, f64, bf16, f16, u8, s8, s16 or s32; did you mean f16?");
  CHECK(complaint("--dt=u8:s8 m2n3k4") ==
        "element types \"u8:s8\"; must be one type, or input:weights:output");
  CHECK(complaint("--dt= m2n3k4") ==
        "element type: ''; must be f32, f64, bf16, f16, u8, s8, s16 or s32");
}

TEST_CASE("tensors beyond the addresses of a process and operations beyond 64 bits are refused") {
  const std::string limit = "; must be at most 2^57", operations = "; must be at most 2^63 - 1";
  CHECK(complaint("mb1ic1ih2305843009213693952iw1oc1kh1kw1") ==
        "bytes of the padded ih are 4 * 2305843009213693952" + limit);
  CHECK(complaint("mb1073741824ic1073741824ih2iw1oc1kh1kw1") ==
        "bytes of the padded input are 4 * 1073741824 * 1073741824 * 2 * 1" + limit);
  CHECK(complaint("mb1ic2147483648ih1oc1073741824kh1") ==
        "bytes of the weights are 4 * 1073741824 * 2147483648 * 1 * 1" + limit);
  CHECK(complaint("mb2147483648ic1ih1oc1073741824kh1") ==
        "bytes of the output are 4 * 2147483648 * 1073741824 * 1 * 1" + limit);
  CHECK(complaint("mb1048576ic1048576ih1oc8388608kh1") ==
        "operations are 2 * 1048576 * 8388608 * 1048576 * 1 * 1 * 1 * 1" + operations);
  CHECK(complaint("m2305843009213693952n1k1") ==
        "bytes of A are 4 * 1 * 2305843009213693952 * 1" + limit);
  CHECK(complaint("m1n1k1ldb2305843009213693952") ==
        "bytes of B are 4 * 1 * 1 * 2305843009213693952" + limit);
  CHECK(complaint("m1n1k1ldc2305843009213693952") ==
        "bytes of C are 4 * 1 * 1 * 2305843009213693952" + limit);
  CHECK(complaint("m1048576n1048576k8388608") ==
        "operations are 2 * 1 * 1048576 * 1048576 * 8388608" + operations);
}

TEST_CASE("strides, gaps and outputs that reach beyond 64 bits are refused") {
  const std::string huge = "9223372036854775807";  // The number is 2^63 - 1.
  const std::string limit = "; must be at most 2^57";
  const std::string reach =
      "ih, oh, kh or what goes with them reaches over more than 2^63 - 1 inputs, the largest size";
  CHECK(complaint("mb1ic1ih9oc1kh9sh" + huge) ==
        "bytes of the input behind sh * oh are 4 * " + huge + " * 1" + limit);
  CHECK(complaint("mb1ic1ih1oc1kh1dh4611686018427387904") ==
        "bytes of the input behind the dilated kh are 4 * 4611686018427387905 * 1" + limit);
  CHECK(complaint("mb1ic1ih9oc1kh1dh" + huge) == "dh is 2^63 - 1; must be less");
  CHECK(complaint("mb1ic1ih9oc1kh3oh9dh4611686018427387904") == reach);
  CHECK(complaint("mb1ic1ih9oc1oh" + huge + "kh1sh2") == reach);
}

TEST_CASE("the largest tensors are taken") {
  CHECK(complaint("m36028797018963968n1k1") == "");
  CHECK(complaint("mb1ic1ih36028797018963968iw1oc1kh1kw1") == "");
  CHECK(complaint("m36028797018963969n1k1") ==
        "bytes of A are 4 * 1 * 36028797018963969 * 1; must be at most 2^57");
}

TEST_CASE("rows must hold what they are rows of") {
  CHECK(complaint("m2n3k4lda3") == "lda is 3; must be at least k (4)");
  CHECK(complaint("m2n3k4ldb2") == "ldb is 2; must be at least n (3)");
  CHECK(complaint("m2n3k4ldc2") == "ldc is 2; must be at least n (3)");
  CHECK(complaint("m5n3k4lda4ta1") == "lda is 4; must be at least m (5)");
  CHECK(complaint("m5n3k4ldb3tb1") == "ldb is 3; must be at least k (4)");
  CHECK(complaint("m5n3k4ta2") == "ta is 2; must be 0 or 1");
}

TEST_CASE("matrices of a batch may be shared, and those of C must be apart") {
  CHECK(complaint("m5n3k4sa9") == "sa is 9 without a batch; must be given with b");
  CHECK(complaint("b2m5n3k4sa0") == "");
  CHECK(complaint("b2m5n3k4sb0sc100") == "");
  CHECK(complaint("b2m5n3k4sa0sb0") ==
        "sa and sb are 0, so all products of the batch are equal; one must be at least 1");
  CHECK(complaint("b2m5n3k4sc14") ==
        "sc is 14; matrices of C must be apart: at least 15 elements, or at least n (3) where ldc "
        "holds a row of each");
  CHECK(complaint("b2m5n3k4ldc6sc3") == "");
  CHECK(complaint("b2m5n3k4ldc5sc3").starts_with("sc is 3; matrices of C must be apart"));
}

TEST_CASE("text that is no problem is refused with what it could be") {
  CHECK(complaint("") == "nothing to read; must be a descriptor, a layer name or a relation");
  CHECK(complaint("resnet18-99") ==
        "not a layer of resnet18; must be one of resnet18-1 to resnet18-12");
  CHECK(complaint("resnet18") ==
        "a table of layers; must be one of them, resnet18-1 to resnet18-12 (`tileplan layers "
        "resnet18 > FILE.csv` writes a list, which report and bench take)");
  CHECK(complaint("model.onnx") ==
        "a file; must be one layer (plan, run, emit, report and bench take models, report and "
        "bench take lists of layers)");
  CHECK(complaint("yolo9000-1") ==
        "not a layer of yolo9000; must be one of yolo9000-0, yolo9000-2, yolo9000-4, yolo9000-5, "
        "yolo9000-8, yolo9000-9, yolo9000-12, yolo9000-13, yolo9000-18, yolo9000-19, yolo9000-23");
  CHECK(complaint("resnet50-9") == "not a layer of the tables; did you mean resnet50-gemm-9?");
  CHECK(complaint("mobilenet-9") ==
        "not a layer of the tables; did you mean mobilenet-dense-9 or mobilenet-dw-9?");
  CHECK(complaint("M128N256K512") ==
        "key M is in upper case; must be m, as the other keys of a descriptor");
  CHECK(complaint("resnet81-2") == "not a layer of the tables; did you mean resnet18-2?");
  CHECK(
      complaint("squeezenet-2") ==
      "not a layer of the tables (yolo9000, resnet18, mobilenet_dense, mobilenet_v1_dw, "
      "resnet50_gemm, opevo, thin_gemm) nor a descriptor, which would start with a key such as mb, "
      "ic or m");
  CHECK_THROWS_WITH_AS(parse_conv("m2n3k4"), "problem \"m2n3k4\": must be a convolution", Error);
  CHECK_THROWS_WITH_AS(parse_gemm("resnet18-1"), "problem \"resnet18-1\": must be a matrix product",
                       Error);
}

TEST_CASE("a relation must have its three parts") {
  CHECK(complaint("{ S[i] } writes { S[i] -> C[i] }") ==
        "\"writes { S[i] -> C[i] }\" stands where the word reads was expected");
  CHECK(complaint("{ S[i] } reads { S[i] -> A[i] }") ==
        "\"\" stands where the word writes was expected");
  CHECK(complaint("{ S[i] } reads A[i]") == "\"A[i]\" stands where { accesses } was expected");
  CHECK(complaint("{ S[i] reads { S[i] -> A[i] }") == "the { of the domain has no matching }");
  CHECK(complaint("{ S[i]") == "the { of the domain has no matching }");
  CHECK(complaint("{ } reads { S[i] -> A[i] }") == "the domain in { } is empty");
  CHECK(complaint("{ S[i] } reads { S[i] -> A[i] } writes { S[i] -> C[i] } x") ==
        "\"x\" stands after the end of the relation");
  CHECK_THROWS_WITH_AS(flops(parse_problem("{a} reads {b} writes {c}")),
                       "problem \"{a} reads {b} writes {c}\": only the computation of a relation, "
                       "not its text, can be counted",
                       Error);
}

TEST_CASE("a layer table gives its layers in order, whatever their kind") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("layers.csv",
                   "# a comment\r\nname,problem\r\n\nfirst, m2n3k4 # small\nsecond,resnet18-9\n"
                   "third,{ S[i,j] } reads { S[i,j] -> A[i] } writes { S[i,j] -> C[j] }");
  const std::vector<Problem> layers = load_layers(path);
  REQUIRE(layers.size() == 3);
  CHECK(name_of(layers[0]) == "first");
  CHECK(to_string(layers[0]) == "m2n3k4");
  CHECK(name_of(layers[1]) == "second");
  CHECK(std::get<ConvShape>(layers[1]).c == 256);
  CHECK(std::get<Relation>(layers[2]).domain == "{ S[i,j] }");
}

TEST_CASE("what is wrong in a layer table is said with its line") {
  CHECK(table_complaint("name,problem\na,m2n3k4\n\nb,m2n3k0\n") ==
        ":4: problem \"m2n3k0\": k is 0; must be at least 1");
  CHECK(table_complaint("name,problem\nm2n3k4\n") ==
        ":2: \"m2n3k4\" has no comma; must be name,problem");
  CHECK(table_complaint("name,problem\n,m2n3k4\n") ==
        ":2: \",m2n3k4\" has no name; must be name,problem");
  CHECK(table_complaint("# x\na,m2n3k4\n") ==
        ":2: \"a,m2n3k4\" stands before the header; the first line must be name,problem");
  CHECK(table_complaint("name,problem\n") ==
        ": holds no layer; must have a name,problem line for each");
  CHECK(table_complaint("") == ": holds no layer; must have a name,problem line for each");
}

TEST_CASE("a layer table may begin with the mark of a spreadsheet") {
  const TemporaryFolder folder;
  CHECK(load_layers(folder.write("a.csv", "\xEF\xBB\xBFname,problem\na,m1n2k3\n")).size() == 1);
}

TEST_CASE("a layer table that cannot be read is named") {
  CHECK_THROWS_WITH_AS(
      load_layers("/nonexistent/layers.csv"),
      "/nonexistent/layers.csv: cannot be read (No such file or directory); must be a layer table",
      Error);
  CHECK_THROWS_WITH_AS(load_layers("/"),
                       "/: cannot be read (Is a directory); must be a layer table", Error);
}

}  // namespace tileplan
